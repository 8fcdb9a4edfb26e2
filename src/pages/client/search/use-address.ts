import { useEffect, useState } from 'preact/hooks';

const WRITE_AFTER_MS = 250;

/** Fields of a view that its address holds, so that it can be shared; an empty one is left out.
 *  @param names those that the view knows */
export function useAddress<Name extends string>(
  names: readonly Name[],
): [Partial<Record<Name, string>>, (change: Partial<Record<Name, string>>) => void] {
  const [fields, setFields] = useState(() => read(names));
  useEffect(() => {
    const timer = setTimeout(() => {
      const query = new URLSearchParams(fields as Record<string, string>).toString();
      history.replaceState(null, '', `${location.pathname}${query && `?${query}`}`);
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [fields]);
  const change = (next: Partial<Record<Name, string>>) =>
    setFields((before) => {
      const all = Object.entries({ ...before, ...next }).filter(([, value]) => value);
      return Object.fromEntries(all) as Partial<Record<Name, string>>;
    });
  return [fields, change];
}

function read<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const found = [...new URLSearchParams(location.search)].filter(([name]) => names.includes(name as Name));
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}
