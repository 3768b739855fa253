import { areRulesKnown, explainRecipients, type AlertFacts } from '@ssb/config';
import { ALERT_REASON_NAMES, SEVERITIES } from '@ssb/events';
import { Command, Option } from 'commander';
import { findWithheld, type ExplainedKind } from '../alerts/find-withheld.js';
import { EventOptionError, readFacts, resolvableKind, type EventOptions } from '../alerts/read-facts.js';
import { renderExplanation, type ExplainedEvent } from '../alerts/render-explanation.js';
import { explainFailures, fail } from '../fail.js';
import { readConfig } from '../operator-config.js';
import { print } from '../print.js';
import { listSilences, type ListedSilence } from '../requests/list-silences.js';
import { MAX_LIMIT, parseTimeWithZone } from '../options.js';
import { findDatabaseUrl, withSubscriberDatabase } from '../requests/subscriber-database.js';

interface ExplainOptions extends EventOptions {
  readonly at?: string;
  readonly file?: string;
  readonly json: boolean;
}

const HELP = `
It reads the configuration file, and changes nothing. It reads the silences too, with DATABASE_URL (role requests), or from .data while npm start runs; the last line says when it did not. Without --severity the event has the severity that the file gives it.
Exit status: 0 when the event is explained, also when no sink gets it, else 1.

Examples:
  busbridge alerts explain margin.breached --participant WPGENCO
  busbridge alerts explain margin.breached --amount -1000000.00      # when a rule compares amounts
  busbridge alerts explain statement.published --resolves            # it ends a statement-overdue
  busbridge alerts explain statement.overdue --at 2026-12-24T23:00:00+08:00   # what is muted or silenced then
  busbridge alerts explain bridge.alert.raised --severity critical --json
`;

const NOT_READ = 'The silences were not read: DATABASE_URL is not set, and no npm start runs in this folder.';

/** `busbridge alerts`. */
export function alertsCommand(): Command {
  const command = new Command('alerts').description(
    'Explains the rules of alerts in the configuration file.',
  );
  command
    .command('explain')
    .description('Prints which rules and sinks would get an event, and why others would not.')
    .argument('<type>', 'event type, such as margin.breached')
    .option('--participant <code>', 'participant (default: the only one; * for events of the bridge)')
    .addOption(new Option('--severity <severity>', 'severity of the event').choices(SEVERITIES))
    .option('--amount <decimal>', 'amount of the event; docs/events.md says which one counts')
    .addOption(new Option('--reason <reason>', 'reason of a fault of the bridge').choices(ALERT_REASON_NAMES))
    .option(
      '--at <time>',
      'when it arrives, such as 2026-12-24T23:00:00+08:00 (default: now)',
      parseTimeWithZone,
    )
    .option('--resolves', 'the event resolves an open problem')
    .option('--file <path>', 'the file (default: CONFIG_FILE, otherwise config/bridge.yaml)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action((type: string, options: ExplainOptions) => explainFailures(() => explain(type, options)));
  return command;
}

async function explain(type: string, { file, json, at, ...event }: ExplainOptions): Promise<void> {
  const config = readConfig(file);
  if (!areRulesKnown(config))
    return fail('The rules use environment variables that are not set. Set those that config check names.');
  try {
    const facts = readFacts(config, type, event);
    const kind = kindOf(facts, event);
    const show = (silences: readonly ListedSilence[], notes: readonly string[] = []): void => {
      const explanation = explainRecipients(config, facts);
      const context = { kind, at: new Date(at ?? Date.now()), silences };
      const withheld = findWithheld(config, facts, explanation.sinks, context);
      const explained: ExplainedEvent = {
        facts,
        kind,
        ...explanation,
        withheld,
        notes: [...listNotes(facts, kind), ...notes],
      };
      print(explained, json, renderExplanation);
    };
    if (findDatabaseUrl('requests') === undefined) return show([], [NOT_READ]);
    await withSubscriberDatabase('requests', async (database) => {
      const filter = { all: true, at: at ?? new Date().toISOString(), limit: MAX_LIMIT };
      show((await listSilences(database, filter)).silences);
    });
  } catch (error) {
    if (!(error instanceof EventOptionError)) throw error;
    fail(error.message);
  }
}

function kindOf({ problem, severity }: AlertFacts, { resolves }: EventOptions): ExplainedKind {
  if (resolves) return 'resolved';
  return problem === undefined || severity === 'info' ? 'notice' : 'alert';
}

function listNotes({ type, problem }: AlertFacts, kind: ExplainedKind): string[] {
  if (kind === 'resolved') return ['Each sink that got an alert of the problem gets its end as well.'];
  const resolvable = problem === undefined ? resolvableKind(type) : undefined;
  return resolvable
    ? [`Events of this type can end a problem of the kind ${resolvable}: add --resolves.`]
    : [];
}
