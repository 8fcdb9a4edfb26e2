import { Logger } from '@nestjs/common';
import { type Environment, EnvironmentError, loadEnvironment } from '../config/environment.js';
import { requireOidcSettings, requireProtection, requireRunnerLife } from '../start-conditions.js';
import { databaseChecks } from './database-checks.js';
import { fault, type Finding, ok, reasonOf, report } from './finding.js';
import { machineChecks } from './machine-checks.js';
import { networkChecks } from './network-checks.js';

/** Looks at a set-up before a server runs, or beside one: what is wrong, and how to mend it. Changes nothing.
 *  Ends with 0 where no fault was found, with 1 otherwise. */
Logger.overrideLogger(false);
const findings = await examine();
console.log(report(findings));
process.exit(findings.some(({ state }) => state === 'fault') ? 1 : 0); // nothing that still hangs is waited for

async function examine(): Promise<Finding[]> {
  try {
    const environment = loadEnvironment();
    const parts = await Promise.all([
      machineChecks(environment),
      databaseChecks(environment),
      networkChecks(environment),
    ]);
    return [settings(environment), ...parts.flat()];
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return [fault('settings', nameOf(error), 'Correct the setting that it names; README lists them all.')];
  }
}

/** Settings that would prevent a start. */
function settings(environment: Environment): Finding {
  try {
    requireOidcSettings(environment);
    requireProtection(environment);
    requireRunnerLife(environment);
    return ok('settings', `they fit together for ROLE=${environment.ROLE} on HOST=${environment.HOST}`);
  } catch (error) {
    return fault('settings', reasonOf(error), 'Set what it names; docs/secure-it.md takes ten steps.');
  }
}

/** The name of the setting and what is wrong with it, without the value, which may be a secret. */
function nameOf({ message }: EnvironmentError): string {
  return reasonOf(new Error(message.replace(/="[^"]*"/, '')));
}
