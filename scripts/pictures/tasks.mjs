/** The lines of a file, as DEMO is told them. */
const inOneLine = (...lines) => lines.join('\\n');
const CART = inOneLine(
  "import type { Item } from './item.js';",
  "import { cents } from './money.js';",
  '',
  'export interface Cart {',
  '  items: Item[];',
  '  currency: string;',
  '}',
  '',
  '/** In cents, so that nothing is lost by rounding. */',
  'export function total(cart: Cart): number {',
  '  return cart.items.reduce((sum, item) => sum + cents(item.price) * item.count, 0);',
  '}',
);
const MONEY = inOneLine(
  '/** 4.9 → 490. */',
  'export const cents = (amount: number): number => Math.round(amount * 100);',
);
const TEST = inOneLine(
  "import { expect, it } from 'vitest';",
  "import { total } from './cart.js';",
  '',
  "it('adds up in cents', () => {",
  "  const items = [{ name: 'Assam', price: 0.1, count: 3 }];",
  "  expect(total({ items, currency: 'EUR' })).toBe(30);",
  '});',
);

const ROUNDING = `The total of a cart with three items of **0.10** is \`0.30000000000000004\`.

- count in cents, not in fractions
- keep the signature of \`total\`
- a test for the case that was reported`;

/** What the agent DEMO plays stands below the words for people. */
const played = (words, ...lines) => `${words}\n\n\n\n\n\n\n${lines.join('\n')}`;

/** The tasks of the picture, the oldest first. */
export const TASKS = {
  merged: {
    title: 'Say on the front page what the shop sells',
    description: 'One sentence is enough.',
    tags: ['docs'],
    merged: true,
    attempt: { executor: 'DEMO', prompt: 'append README.md <<< Fresh every week.\nsay Added a sentence.' },
  },
  cancelled: { title: 'Move to a monorepo', status: 'cancelled' },
  idea: { title: 'Let customers pay by invoice', priority: 'low', tags: ['checkout'] },
  next: { title: 'Send the order confirmation in the language of the customer', tags: ['mail'], priority: 'medium' },
  soon: { title: 'Replace the deprecated `fetchCart()` in **all** views', tags: ['refactoring'] },
  answer: {
    title: 'The total of a cart is wrong by a fraction of a cent: `total()` adds floats',
    description: ROUNDING,
    priority: 'high',
    tags: ['bug', 'checkout'],
    attempt: {
      executor: 'DEMO',
      prompt: played(
        ROUNDING,
        'plan Find where totals are made; Count in cents; Test the case of the report',
        'think The sum is a float. Cents as integers cannot lose anything.',
        'run grep -rn "price" src',
        `write src/money.ts <<< ${MONEY}`,
        `write src/cart.ts <<< ${CART}`,
        `write src/cart.test.ts <<< ${TEST}`,
        'run sleep 1; echo "Tests  1 passed (1)"',
        'say **Totals are counted in cents now.** `total()` keeps its signature; `cents()` in `src/money.ts` is ' +
          'the one place that rounds. A test holds the case of the report.',
      ),
    },
  },
  conflict: {
    title: 'Make shipping free above 50 €',
    priority: 'medium',
    tags: ['checkout'],
    attempt: {
      executor: 'DEMO',
      prompt: played(
        'Orders above 50 € are sent without a charge.',
        'write src/shipping.ts <<< export const shipping = (total: number): number => (total >= 5_000 ? 0 : 490);',
        'say Shipping is a function of the total now.',
      ),
    },
  },
  failed: {
    title: 'Run the tests of the shop',
    tags: ['ci'],
    attempt: {
      executor: 'SHELL',
      prompt: [
        'set -e',
        'printf "\\033[1m RUN \\033[0m web-shop\\n"',
        'for i in $(seq 24); do',
        '  printf "\\033[32m ✓\\033[0m src/part-$i.test.ts \\033[2m(%d ms)\\033[0m\\n" $((i * 3))',
        'done',
        'printf "\\033[41m FAIL \\033[0m src/shipping.test.ts > above 50 €\\n"',
        'echo "AssertionError: expected 490 to be 0" >&2',
        'printf "\\033[31m 1 failed\\033[0m | 24 passed\\n"',
        'exit 1',
      ].join('\n'),
    },
  },
  asks: {
    title: 'Remove the old checkout',
    priority: 'medium',
    tags: ['checkout'],
    attempt: {
      executor: 'DEMO',
      variant: 'APPROVALS',
      prompt: 'say It is not used any more.\nask rm -r src/old-checkout',
      lasts: true,
    },
  },
  running: {
    title: 'Search finds tea by where it grows',
    description: 'People look for *Darjeeling*, not for the names that we give.',
    priority: 'high',
    tags: ['search'],
    attempt: {
      executor: 'DEMO',
      lasts: true,
      prompt: played(
        'Search finds tea by where it grows.',
        'plan Read how search works; Index the region; Test it with Darjeeling',
        'think The index knows names alone.',
        'run ls -l src',
        "write src/search.ts <<< export const FIELDS = ['name', 'region'];",
        'append README.md <<< Search finds regions, too.',
        'say The region is in the index. I run the tests now.',
        'run sleep 900',
      ),
    },
  },
};
