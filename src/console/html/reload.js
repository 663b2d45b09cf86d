/* global document, location, fetch, setTimeout, DOMParser */
// Loads the page again after so many seconds. A reload by the browser would take the keyboard's focus away.
const showAgain = (next) => {
  const [main, before] = [document.getElementById("main"), document.activeElement];
  const hadFocus = main.contains(before);
  main.replaceChildren(...next.getElementById("main").childNodes);
  document.title = next.title;
  if (!hadFocus) return;
  // Several links may lead to one page, and a text may hold a number that has changed.
  const isSame = ({ href, className }) => href === before.href && className === before.className;
  const same = [...main.querySelectorAll(before.localName)].find(isSame);
  (same ?? main).focus({ preventScroll: true });
};

const loadAgain = async () => {
  try {
    const answer = await fetch(location.href);
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    showAgain(next);
    waitFor(next.getElementById("reload"));
  } catch {
    // What stands here would look current: the browser says that the console is away.
    location.reload();
  }
};

const waitFor = (script) => script && setTimeout(loadAgain, 1000 * Number(script.dataset.seconds));
waitFor(document.getElementById("reload"));
