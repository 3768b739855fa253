import { Command } from 'commander';
import { describe, type ApiOptions } from './api-command.js';

const DETAILS = `It tries the archive API (connection, credential, rights, clock) and reads from it what the apps say of themselves, checks the configuration file, and,
where their settings are set, Redis, gateways, broker and subscriber. It changes nothing. Then it walks the checklist of docs/operate/go-live.md.
Each line says ok, warning, wrong, not checked (with the setting to set) or by hand, and what to change.
Exit status: 1 when something is wrong, also when no bridge is named, else 0.`;

/** `busbridge doctor`. */
export function doctorCommand(): Command {
  return describe(new Command('doctor'), {
    description:
      'Tries connections, credentials, certificates, clocks, rights and topics, and says what to change.',
    details: DETAILS,
    examples: ['doctor', 'doctor --profile production', 'doctor --json'],
  }).action(async (options: ApiOptions) => (await import('../doctor/doctor.js')).examine(options));
}
