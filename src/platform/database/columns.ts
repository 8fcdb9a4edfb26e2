import { getMetadataArgsStorage } from 'typeorm';

/** The columns of an entity for a statement's list, as its decorators declare them.
 *  @param alias of the table in the statement */
export function columnsOf(entity: new () => object, alias?: string): string {
  const names = getMetadataArgsStorage()
    .columns.filter(({ target }) => target === entity)
    .map(({ propertyName }) => (alias === undefined ? propertyName : `${alias}.${propertyName}`));
  if (names.length === 0) throw new Error(`${entity.name} declares no columns`);
  return wrapped(names);
}

/** On several lines, so that a statement in a log is readable. */
function wrapped(names: string[]): string {
  const lines: string[] = [''];
  for (const name of names) {
    const last = lines.length - 1;
    const longer = lines[last] === '' ? name : `${lines[last]}, ${name}`;
    if (longer.length > 100) lines.splice(last, 1, `${lines[last]},`, name);
    else lines[last] = longer;
  }
  return lines.join('\n  ');
}
