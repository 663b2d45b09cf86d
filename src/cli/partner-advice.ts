/** Says what to do after the partner refused. Returns `otherwise` if the status does not tell. */
export const adviceFor = (status: number, otherwise: string): string => {
  if (status === 401 || status === 403) return "see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN";
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return "see PARTNER_BASE_URL";
  return status === 429 || status >= 500 ? "run it again later" : otherwise;
};
