/** The stylesheet, inline: the page loads nothing. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #888; --good: #16803c; --bad: #c62828; --wait: #b26a00; }
@media (prefers-color-scheme: dark) { :root { --good: #5bd384; --bad: #ff8a80; --wait: #ffc266; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 1.2rem 1.5rem 3rem; font: 14px/1.45 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline; }
h1 { font-size: 1.3rem; margin: 0; }
header span, h2 small { color: var(--dim); font-size: .85rem; font-weight: normal; }
header a { margin-left: auto; color: inherit; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .6rem; margin: 1rem 0; }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .45rem .7rem; }
dt { color: var(--dim); font-size: .75rem; }
dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
h2 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .7rem; vertical-align: top; border-top: 1px solid var(--line); }
tr:first-child > th { border-top: 0; background: var(--soft); font-size: .75rem; font-weight: 600; white-space: nowrap; }
td { overflow-wrap: break-word; }
code, .long { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .wait { color: var(--wait); }
.none { color: var(--dim); padding: .5rem .7rem; margin: 0; }
ol { display: flex; flex-wrap: wrap; gap: .2rem .35rem; margin: 0; padding: 0; list-style: none; font-size: .75rem; }
li { background: var(--soft); border-radius: .3rem; padding: .05rem .4rem; }
li:last-child { outline: 1px solid var(--line); }
`;
