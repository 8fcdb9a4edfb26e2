/** How many calls one mistake took until its goal. */
export interface Ended {
  dialect: string;
  more: number;
}

const INTRODUCTION = `\
A test makes plausible mistakes in every dialect, each against a real server. A mechanical reader then follows
\`details.next\` to the letter, or corrects the call with what it was told, until the goal is reached. Counted are the
calls that it takes beyond the wrong one; 0 is a call that was understood as it was.`;

export const share = (ended: readonly Ended[], most: number): number =>
  ended.filter(({ more }) => more <= most).length / ended.length;
export const mean = (ended: readonly Ended[]): number => ended.reduce((sum, { more }) => sum + more, 0) / ended.length;

/** The page of the reference that keeps the figures. */
export function mistakesPage(ended: readonly Ended[]): string {
  const dialects = [...new Set(ended.map(({ dialect }) => dialect))];
  const rows = [
    ...dialects.map((dialect) =>
      row(
        dialect,
        ended.filter((one) => one.dialect === dialect),
      ),
    ),
    row('all', ended),
  ];
  const head = '| dialect | mistakes | 0 | 1 | 2 | 3 | mean |\n| --- | --- | --- | --- | --- | --- | --- |\n';
  return `# Mistakes\n\n<!-- Generated: npm run accept -->\n\n${INTRODUCTION}\n\n${head}${rows.join('')}`;
}

function row(name: string, ended: readonly Ended[]): string {
  const counts = [0, 1, 2, 3].map((more) => ended.filter((one) => one.more === more).length);
  return `| ${[name, ended.length, ...counts, mean(ended).toFixed(2)].join(' | ')} |\n`;
}
