/** Text, or something that each output writes in its own form. `words`: what a person typed. `page`: of the console. */
type Piece =
  | string
  | { id: string }
  | { transactionId: string }
  | { atMs: number }
  | { words: string }
  | { page: string; title: string; command: string };
export type Sentence = readonly Piece[];
