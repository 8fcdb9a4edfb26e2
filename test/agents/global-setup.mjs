import setUpDatabase from '../global-setup.mjs';
import { installClis } from './cli/install-clis.mjs';

/** The database of the tests, and the real agents. What cannot be installed is named here and again at its suite. */
export default async function setup(config) {
  const clis = await installClis();
  for (const [executor, { why }] of Object.entries(clis)) {
    if (why) console.warn(`\n*** ${executor} IS NOT TESTED: its CLI cannot be installed: ${why}\n`);
  }
  process.env.TEST_AGENT_CLIS = JSON.stringify(clis);
  await setUpDatabase(config);
}
