// Measures the bars of the project, each against a named floor in the same run: `npm run bench`, or single ones:
// `npm run bench -- backlog create-task`.
import { bars, namedBars } from './bars/bars.mjs';
import { Ground } from './ground/ground.mjs';
import { printFigures, writeResults } from './report.mjs';

const wanted = process.argv.slice(2);
const known = { ...bars, ...namedBars };
const unknown = wanted.filter((name) => !(name in known));
if (unknown.length) {
  console.error(`There is no bar ${unknown.join(', ')}. Known: ${Object.keys(known).join(', ')}`);
  process.exit(1);
}

const ground = await Ground.open();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void ground.close().finally(() => process.exit(130)));
try {
  const figures = [];
  for (const [name, bar] of Object.entries(wanted.length ? known : bars)) {
    if (wanted.length && !wanted.includes(name)) continue;
    console.log(`${name} …`);
    const found = await bar(ground);
    printFigures(found);
    figures.push(...found);
    await ground.clear();
  }
  if (!wanted.length) writeResults(figures, await ground.facts());
} finally {
  await ground.close();
}
