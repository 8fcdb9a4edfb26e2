// Lints an OpenAPI document with the recommended rules of Redocly and of Spectral: prints what they call an error.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const SPECTRAL_ERROR = 0;
const [file] = process.argv.slice(2);
const source = readFileSync(file, 'utf8');
const found = await Promise.all([redocly(), bySpectral()]);
console.log(JSON.stringify(found.flat()));

async function redocly() {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: file, config });
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer}: ${message}`);
}

async function bySpectral() {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
  const problems = await linter.run(JSON.parse(source));
  return problems
    .filter(({ severity }) => severity === SPECTRAL_ERROR)
    .map(({ code, message, path }) => `spectral ${code} ${path.join('/')}: ${message}`);
}
