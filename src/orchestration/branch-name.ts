/** `ty/<8 hex>-<slug>`; the last hex digits of a UUIDv7 are random, the first are its time. */
export function branchName(attempt_id: string, title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 32)
    .replace(/-+$/, '');
  const id = attempt_id.slice(-8);
  return slug ? `ty/${id}-${slug}` : `ty/${id}`;
}
