import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const CART = `import type { Item } from './item.js';

export interface Cart {
  items: Item[];
  currency: string;
}

export function total(cart: Cart): number {
  let sum = 0;
  for (const item of cart.items) {
    sum += item.price * item.count;
  }
  return sum;
}
`;

/** The shop as it is committed at first. */
export const FILES = {
  'README.md': '# Web shop\n\nSells tea, by the cup and by the crate.\n',
  'src/cart.ts': CART,
  'src/item.ts': 'export interface Item {\n  name: string;\n  price: number;\n  count: number;\n}\n',
  'src/shipping.ts': 'export const SHIPPING = 4.9;\n',
};

const git = (cwd, ...args) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], { cwd, stdio: 'ignore' });

export function makeRepository(folder, name, files) {
  const place = path.join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
    writeFileSync(path.join(place, file), text);
  }
  git(place, 'init', '--initial-branch=main');
  git(place, 'add', '--all');
  git(place, 'commit', '--message', 'First commit');
  return place;
}

/** Somebody else changes a line that an attempt has changed as well. */
export function moveMain(folder, name) {
  const place = path.join(folder, name);
  writeFileSync(path.join(place, 'src/shipping.ts'), 'export const SHIPPING = 5.9;\n');
  git(place, 'commit', '--all', '--message', 'Raise shipping');
}
