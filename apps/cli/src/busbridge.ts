import { escapeCommandOutput } from '@ssb/platform';
import { Command } from 'commander';

/** Each file of `commands` is one command, loaded only when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  alerts: async () => (await import('./commands/alerts.js')).alertsCommand(),
  backfill: async () => (await import('./commands/backfill.js')).backfillCommand(),
  config: async () => (await import('./commands/config.js')).configCommand(),
  'dead-letters': async () => (await import('./commands/dead-letters.js')).deadLettersCommand(),
  deliveries: async () => (await import('./commands/deliveries.js')).deliveriesCommand(),
  evidence: async () => (await import('./commands/evidence.js')).evidenceCommand(),
  heartbeat: async () => (await import('./commands/heartbeat.js')).heartbeatCommand(),
  keys: async () => (await import('./commands/keys.js')).keysCommand(),
  migrate: async () => (await import('./commands/migrate.js')).migrateCommand(),
  problems: async () => (await import('./commands/problems.js')).problemsCommand(),
  provision: async () => (await import('./commands/provision.js')).provisionCommand(),
  quarantine: async () => (await import('./commands/quarantine.js')).quarantineCommand(),
  records: async () => (await import('./commands/records.js')).recordsCommand(),
  replay: async () => (await import('./commands/replay.js')).replayCommand(),
  requests: async () => (await import('./commands/requests.js')).requestsCommand(),
  silences: async () => (await import('./commands/silences.js')).silencesCommand(),
  sinks: async () => (await import('./commands/sinks.js')).sinksCommand(),
  tokens: async () => (await import('./commands/tokens.js')).tokensCommand(),
  trust: async () => (await import('./commands/trust.js')).trustCommand(),
  verify: async () => (await import('./commands/verify.js')).verifyCommand(),
};

/**
 * `busbridge`, the command line of the bridge.
 * @param called first argument; for any other text than a command, the program has all commands
 */
export async function busbridge(called = ''): Promise<Command> {
  const program = new Command('busbridge')
    .description('Operates the settlement bus bridge.')
    // A command and its subcommand may have options of the same name.
    .enablePositionalOptions();
  const command = Object.hasOwn(COMMANDS, called) ? COMMANDS[called] : undefined;
  for (const load of command === undefined ? Object.values(COMMANDS) : [command])
    program.addCommand(await load());
  escapeCommandOutput(program);
  return program;
}
