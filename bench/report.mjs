import { writeFileSync } from 'node:fs';
import path from 'node:path';

const results = path.join(import.meta.dirname, 'RESULTS.md');

export function printFigures(figures) {
  for (const { what, result, floor, bar, isMet } of figures) {
    console.log(`  ${verdict(isMet).padEnd(6)} ${what}: ${result}${bar ? ` (bar ${bar})` : ''}`);
    if (floor) console.log(`         ${floor}`);
  }
}

/** Replaces bench/RESULTS.md, with what was missed as well. @param facts name → value: the machine and the day */
export function writeResults(figures, facts) {
  const rows = figures.map(
    ({ what, result, floor, bar, isMet }) => `| ${what} | ${result} | ${floor} | ${bar} | ${verdict(isMet)} |`,
  );
  writeFileSync(
    results,
    `# Results

Written by \`npm run bench\`. Ratios compare with a floor measured in turn in the same run;
every contender runs on the same processors.

${Object.entries(facts)
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}

| What | Measured | Floor | Bar | |
|---|---|---|---|---|
${rows.join('\n')}
`,
  );
}

function verdict(isMet) {
  if (isMet === null) return '';
  return isMet ? 'met' : 'MISSED';
}
