import { escapeCommandOutput, standardError, VERSION } from '@ssb/platform/cli';
import { Command, CommanderError } from 'commander';
import { CommandError, EXIT } from './exit.js';

type Load = () => Promise<Command>;

/** Each file of `commands` is one command, loaded only when it is called. The help has these groups. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'What the market says:': {
    positions: async () => (await import('./commands/positions.js')).positionsCommand(),
    calendar: async () => (await import('./commands/calendar.js')).calendarCommand(),
    statements: async () => (await import('./commands/statements.js')).statementsCommand(),
    invoices: async () => (await import('./commands/invoices.js')).invoicesCommand(),
    'open-items': async () => (await import('./commands/open-items.js')).openItemsCommand(),
    documents: async () => (await import('./commands/documents.js')).documentsCommand(),
    payments: async () => (await import('./commands/payments.js')).paymentsCommand(),
    events: async () => (await import('./commands/events.js')).eventsCommand(),
  },
  'On call:': {
    status: async () => (await import('./commands/status.js')).statusCommand(),
    problems: async () => (await import('./commands/problems.js')).problemsCommand(),
    silences: async () => (await import('./commands/silences.js')).silencesCommand(),
    deliveries: async () => (await import('./commands/deliveries.js')).deliveriesCommand(),
    sinks: async () => (await import('./commands/sinks.js')).sinksCommand(),
    replay: async () => (await import('./commands/replay.js')).replayCommand(),
    requests: async () => (await import('./commands/requests.js')).requestsCommand(),
    quarantine: async () => (await import('./commands/quarantine.js')).quarantineCommand(),
    'dead-letters': async () => (await import('./commands/dead-letters.js')).deadLettersCommand(),
    backfill: async () => (await import('./commands/backfill.js')).backfillCommand(),
    alerts: async () => (await import('./commands/alerts.js')).alertsCommand(),
    audit: async () => (await import('./commands/audit.js')).auditCommand(),
  },
  'Evidence:': {
    evidence: async () => (await import('./commands/evidence.js')).evidenceCommand(),
    verify: async () => (await import('./commands/verify.js')).verifyCommand(),
    trust: async () => (await import('./commands/trust.js')).trustCommand(),
  },
  'Operation:': {
    console: async () => (await import('./commands/console.js')).consoleCommand(),
    doctor: async () => (await import('./commands/doctor.js')).doctorCommand(),
    config: async () => (await import('./commands/config.js')).configCommand(),
    heartbeat: async () => (await import('./commands/heartbeat.js')).heartbeatCommand(),
    records: async () => (await import('./commands/records.js')).recordsCommand(),
    keys: async () => (await import('./commands/keys.js')).keysCommand(),
    tokens: async () => (await import('./commands/tokens.js')).tokensCommand(),
    provision: async () => (await import('./commands/provision.js')).provisionCommand(),
    completion: async () => (await import('./commands/completion.js')).completionCommand(busbridge),
    migrate: async () => (await import('./commands/migrate.js')).migrateCommand(),
  },
};

const HELP = `
Is my margin fine?                         busbridge positions
What was published this week?              busbridge calendar --published --since 7d
What is missing?                           busbridge open-items
What can I still dispute, and until when?  busbridge calendar --disagree
What do I pay and receive?                 busbridge invoices
What do we need on Thursday?               busbridge payments
Who was told of the breach?                busbridge problems show --kind margin
Does the bridge work?                      busbridge status

Which bridge: --profile or BUSBRIDGE_PROFILE; otherwise BUSBRIDGE_URL with BUSBRIDGE_TOKEN; otherwise, in a clone, the running npm start;
otherwise the default of ~/.config/busbridge/profiles.yaml (mode 0600):

  default: production
  profiles:
    production: { url: 'https://bridge.example', tokenFile: production.token }

Exit status: 0 done, 1 refused or failed, or something is wrong (status, doctor, verify; not positions and calendar), 2 wrong usage,
69 not reachable, 77 not permitted, 78 wrong configuration, 130 ended by Ctrl-C, 143 by SIGTERM.
`;

/**
 * `busbridge`, the command line of the bridge.
 * @param called first argument; for any other text than a command, the program has all commands
 */
export async function busbridge(called = ''): Promise<Command> {
  const program = new Command('busbridge')
    .description('Shows and operates the settlement bus bridge.')
    .version(VERSION)
    .addHelpText('after', HELP)
    // A command and its subcommand may have options of the same name.
    .enablePositionalOptions();
  const all = Object.values(COMMANDS).flatMap((group) => Object.keys(group));
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const [name, load] of Object.entries(commands))
      if (name === called || !all.includes(called)) program.addCommand(await load());
  }
  escapeCommandOutput(program);
  return program;
}

/** Runs a command line. @returns the exit status */
export async function runBusbridge(args: readonly string[]): Promise<number> {
  try {
    const program = await busbridge(args[0]);
    prepareErrors(program);
    program.hook('preAction', (_, action) => prepare(action));
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    return await report(error);
  }
}

/** Completion is requested at each key, and needs no running system. */
async function prepare(action: Command): Promise<void> {
  if ([action.name(), action.parent?.name()].includes('completion')) return;
  await (await import('./settings.js')).findSystems();
}

async function report(error: unknown): Promise<number> {
  // Commander has written what was wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CommandError) {
    for (const line of error.message.split('\n')) standardError.writeLine(line);
    return error.status;
  }
  const { reportStartFailure } = await import('./report-start-failure.js');
  return reportStartFailure(error);
}

/** Errors of usage are thrown, and name the help of their command. */
function prepareErrors(command: Command, name = command.name()): void {
  command.exitOverride().showHelpAfterError(`"${name} --help" shows what is allowed.`);
  for (const each of command.commands) prepareErrors(each, `${name} ${each.name()}`);
}
