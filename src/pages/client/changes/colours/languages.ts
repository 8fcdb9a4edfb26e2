const ENDINGS = {
  bash: 'sh bash zsh bats env',
  cpp: 'c h cc cpp cxx hpp hh hxx ino',
  csharp: 'cs',
  css: 'css scss less',
  dockerfile: 'dockerfile containerfile',
  go: 'go',
  ini: 'ini toml cfg conf properties editorconfig gitconfig',
  java: 'java',
  json: 'json jsonc json5 webmanifest',
  markdown: 'md markdown mdx',
  python: 'py pyi pyw',
  ruby: 'rb rake gemspec gemfile rakefile',
  rust: 'rs',
  sql: 'sql psql ddl',
  typescript: 'ts tsx mts cts js jsx mjs cjs',
  xml: 'xml html htm xhtml svg vue svelte xsd xsl plist',
  yaml: 'yml yaml',
};

export type Language = keyof typeof ENDINGS;

const languages = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) =>
    endings.split(' ').map((ending): [string, Language] => [ending, language as Language]),
  ),
);

/** By the ending of a path, or the name of a file that has none; null for what nobody colours. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return languages.get(name.slice(name.lastIndexOf('.') + 1)) ?? null;
}
