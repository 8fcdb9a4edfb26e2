/** How one mistake ended. */
export interface Ended {
  dialect: string;
  /** Calls that it took until its goal. */
  more: number;
  /** Of each refusal that named the next call. */
  tokens: number[];
}

/** Tokens of a refusal of `/mcp` that names the next call, in the mean. */
export const MOST_TOKENS = 95;

const INTRODUCTION = `\
A test makes plausible mistakes in every dialect, each against a real server. A mechanical reader then follows
\`details.next\` to the letter, or corrects the call with what it was told, until the goal is reached. Counted are the
calls that it takes beyond the wrong one; 0 is a call that was understood as it was. A refusal of \`/mcp\` that names
the next call has at most ${MOST_TOKENS} tokens of o200k in the mean.`;

export const share = (ended: readonly Ended[], most: number): number =>
  ended.filter(({ more }) => more <= most).length / ended.length;
export const mean = (ended: readonly Ended[]): number => meanOf(ended.map(({ more }) => more));
export const meanTokens = (ended: readonly Ended[]): number => meanOf(ended.flatMap(({ tokens }) => tokens));
const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

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
