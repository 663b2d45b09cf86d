import { createHash } from "node:crypto";

/** Colours by role, each at least 4.5 to 1 on what it stands on, in light and dark. */
const colours = `
:root { color-scheme: light dark;
--page: #f6f7f9; --sheet: #ffffff; --soft: #eef0f4; --ink: #16191f; --dim: #565d6b; --line: #d3d8e0; --link: #1a56b0;
--good: #14683a; --good-soft: #e5f4ea; --wait: #7d4e00; --wait-soft: #fdf2d8; --bad: #b01c1c; --bad-soft: #fdeaea;
--main: #1a56b0; --on-main: #ffffff; --line0: #1a56b0; --line1: #8a5a00; --line2: #14683a; --line3: #b01c1c; }
@media (prefers-color-scheme: dark) { :root {
--page: #111419; --sheet: #191d24; --soft: #232934; --ink: #e7eaf0; --dim: #a3acbb; --line: #343c49; --link: #8db9ff;
--good: #6fd698; --good-soft: #14301f; --wait: #f4c25c; --wait-soft: #34280e; --bad: #ff9d96; --bad-soft: #3d1a1a;
--main: #8db9ff; --on-main: #0b1420; --line0: #8db9ff; --line1: #f4c25c; --line2: #6fd698; --line3: #ff9d96; } }
`;

const frame = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; } .skip { position: absolute; left: -999px; }
.skip:focus { left: .5rem; top: .5rem; background: var(--sheet); padding: .5rem 1rem; z-index: 1; }
header { background: var(--sheet); border-bottom: 1px solid var(--line); }
.bar, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1rem; padding-top: .4rem;
  padding-bottom: .4rem; }
.brand { font-weight: 700; color: inherit; text-decoration: none; }
nav ul { display: flex; flex-wrap: wrap; gap: .15rem; list-style: none; margin: 0; padding: 0; }
nav ul a { display: block; padding: .3rem .6rem; border-radius: .35rem; color: inherit; text-decoration: none; }
nav ul a:hover { background: var(--soft); }
nav ul a[aria-current] { background: var(--soft); font-weight: 600; box-shadow: inset 0 -2px var(--link); }
.who { margin: 0 0 0 auto; font-size: .85rem; color: var(--dim); }
main { padding-top: 1rem; padding-bottom: 2rem; }
footer { color: var(--dim); font-size: .85rem; border-top: 1px solid var(--line); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .3rem 0 .6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
small { font-weight: normal; font-size: .85rem; color: var(--dim); }
p { margin: .5rem 0; max-width: 75ch; overflow-wrap: anywhere; } .dim, .hint { color: var(--dim); }
.none { color: var(--dim); background: var(--sheet); border: 1px dashed var(--line); border-radius: .4rem;
padding: .6rem .9rem; max-width: none; } time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.when .dim { white-space: nowrap; }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; white-space: pre-wrap; }
pre { margin: .4rem 0; padding: .6rem .8rem; background: var(--sheet); border: 1px solid var(--line);
border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.odd { background: var(--bad-soft); color: var(--bad); border-radius: .15rem; font-size: .85em;
font-family: ui-monospace, Menlo, Consolas, monospace; }
`;

const parts = `
.good { --tone: var(--good); --tone-soft: var(--good-soft); } .bad { --tone: var(--bad); --tone-soft: var(--bad-soft); }
.wait { --tone: var(--wait); --tone-soft: var(--wait-soft); } .plain { --tone: var(--line); --tone-soft: var(--soft); }
.verdict { border-left: .5rem solid var(--tone); border-radius: .4rem; padding: .7rem 1.2rem .8rem;
background: var(--tone-soft); margin-bottom: .8rem; } .verdict h1 a { color: inherit; }
.verdict h1 { font-size: 1.75rem; margin: 0; color: var(--tone); } .verdict.plain h1 { color: inherit; } .verdict p { font-size: 1.05rem; }
.notice { border: 1px solid var(--tone); border-left-width: .3rem; border-radius: .4rem; padding: .3rem .9rem;
margin: .7rem 0; background: var(--tone-soft); } .notice .dim, .notice .hint, .verdict .dim { color: inherit; }
.tag { font-size: .85rem; font-weight: 600; border-radius: .3rem; padding: .05rem .45rem; display: inline-block;
background: var(--tone-soft); color: var(--tone); } .tag.plain { color: inherit; }
.plot { margin: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: .4rem;
  padding: .7rem .9rem; }
.plot svg { display: block; width: 100%; height: 8rem; }
.plot path { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }
.plot .base { stroke: var(--line); stroke-width: 1; }
.plot ul { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; list-style: none; margin: .5rem 0 0; padding: 0;
font-size: .85rem; } .plot .dim { font-size: .85rem; }
.line0 { stroke: var(--line0); } .line1 { stroke: var(--line1); stroke-dasharray: 7 3; }
.line2 { stroke: var(--line2); stroke-dasharray: 2 3; } .line3 { stroke: var(--line3); stroke-dasharray: 10 3 2 3; }
[class^=key] { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; vertical-align: -.1rem; }
.key0 { background: var(--line0); } .key1 { background: var(--line1); }
.key2 { background: var(--line2); } .key3 { background: var(--line3); }
table { border-collapse: collapse; width: 100%; font-size: .925rem; background: var(--sheet);
border: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border-top: 1px solid var(--line);
overflow-wrap: anywhere; } thead th { border-top: 0; overflow-wrap: normal; background: var(--soft);
  font-size: .85rem; }
tbody th { font-weight: 600; } td .name { display: none; }
.facts { margin: .5rem 0; display: grid; gap: .3rem; }
.facts div { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: 0 1rem; }
.facts dt { color: var(--dim); } .facts dd { margin: 0; overflow-wrap: anywhere; }
progress { width: 100%; max-width: 30rem; height: .7rem; accent-color: var(--main); }
.steps { list-style: none; margin: 1rem 0; padding: 0; }
.step { border-left: 3px solid var(--tone); padding: .1rem 0 1rem 1.1rem; margin-left: .3rem; }
.step h3 { margin: 0; } .step p { margin: .2rem 0; }
details summary { cursor: pointer; color: var(--link); padding: .2rem 0; }
`;

const forms = `
input, select, textarea, button, .button { font: inherit; color: inherit; background: var(--sheet);
border: 1px solid var(--dim); border-radius: .35rem; padding: .3rem .6rem; max-width: 100%; }
textarea { width: 100%; resize: vertical; }
button, .button { cursor: pointer; display: inline-block; text-decoration: none; background: var(--soft);
font-weight: 600; } button.main { background: var(--main); color: var(--on-main); border-color: var(--main); }
button:hover, .button:hover { filter: brightness(1.08); }
.panel { background: var(--sheet); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem 1.1rem;
margin: .8rem 0; } .panel h2 { margin-top: .2rem; }
fieldset { border: 0; padding: 0; margin: .6rem 0; } legend { font-weight: 600; padding: 0; }
.field { display: grid; gap: .15rem; margin: .8rem 0; max-width: none; } .field label { font-weight: 600; }
.hint { font-size: .9rem; }
.choice { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 .6rem; align-items: baseline; }
.choice .hint { grid-column: 2; } .choice input { accent-color: var(--main); } .choice label { font-weight: 600; }
.filter { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: end; } .filter .field { margin: .4rem 0; }
.filter .wide { flex: 1; min-width: 14rem; } .filter p:last-child { margin: .4rem 0; } @media (max-width: 44rem) {
.bar, main, footer { padding-left: .8rem; padding-right: .8rem; } nav ul a { padding: .25rem .45rem; }
.bar { gap: .1rem .6rem; } nav { order: 1; flex-basis: 100%; }
.facts div { grid-template-columns: minmax(0, 1fr); } .facts { gap: .6rem; } .verdict h1 { font-size: 1.4rem; }
.filter .field { flex: 1 1 100%; }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
table, tbody, tr, th, td { display: block; border: 0; }
tr { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem 0; } tr + tr { margin-top: .5rem; }
table { background: none; border: 0; } tbody tr { background: var(--sheet); } th, td { padding: .1rem .8rem; }
time, .when .dim { white-space: normal; }
td { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .6rem; }
td .name { display: inline; color: var(--dim); font-size: .85rem; } }
`;

export const style = colours + frame + parts + forms;

/** It changes with the stylesheet, so that browsers may keep it. */
export const STYLE_PATH = `/style-${createHash("sha256").update(style).digest("hex").slice(0, 12)}.css`;
