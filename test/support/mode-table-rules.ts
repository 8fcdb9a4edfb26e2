import { type Class, fieldsOf } from '../../src/platform/fields/field-node.js';
import { modeRulesOf } from '../../src/platform/fields/mode-rules.js';

/** Contradictions between the mode table of an input and its fields, which would split schemas and runtime check. */
export function modeTableViolations(type: Class): string[] {
  const fields = fieldsOf(type);
  const { modes, exactlyOne = [], paging } = modeRulesOf(type);
  const rules = Object.values(modes?.table ?? {});
  const named = [
    ...exactlyOne,
    ...rules.flatMap(({ require = [], forbid = [], instead = {} }) => [
      ...require,
      ...forbid,
      ...Object.values(instead).flat(),
    ]),
    ...Object.values(paging ?? {}),
  ].filter(Boolean);
  const mode = modes && fields.get(modes.field);
  return [
    ...named.filter((name) => !fields.has(name)).map((name) => `the rules name ${name}, which is no field`),
    ...named
      .filter((name) => fields.get(name)?.optional === false)
      .map((name) => `${name} depends on others, so it must be optional`),
    ...(modes && (!mode || mode.optional) ? [`the mode field ${modes.field} must be a required field`] : []),
    ...(modes && String(Object.keys(modes.table)) !== String(mode?.values)
      ? [`the mode table does not list the values of ${modes.field}`]
      : []),
    ...[...fields].filter(([, node]) => node.nullable).map(([name]) => `the input field ${name} is nullable`),
  ];
}
