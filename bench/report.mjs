export function printFigures(figures) {
  for (const { what, result, floor, bar, isMet } of figures) console.log(`  ${isMet === null ? '      ' : isMet ? 'met   ' : 'MISSED'} ${what}: ${result} ${bar ? `(bar ${bar})` : ''}\n         ${floor}`);
}
export function writeResults() {}
