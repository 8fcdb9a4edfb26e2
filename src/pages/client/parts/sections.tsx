import type { ComponentChildren } from 'preact';

interface SectionsProps<T extends string> {
  label: string;
  chosen: T;
  sections: readonly (readonly [section: T, words: string])[];
  addressOf: (section: T) => string;
  children: ComponentChildren;
}

/** Sections of a page, each with an address of its own. */
export function Sections<T extends string>({ label, chosen, sections, addressOf, children }: SectionsProps<T>) {
  return (
    <div class="sectioned">
      <nav aria-label={label}>
        <ul>
          {sections.map(([section, words]) => (
            <li key={section}>
              <a href={addressOf(section)} aria-current={section === chosen ? 'page' : undefined}>
                {words}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="section">{children}</div>
    </div>
  );
}
