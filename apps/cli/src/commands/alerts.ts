import { Command, Option } from 'commander';
import type { ExplainOptions } from '../alerts/explain-alert.js';
import { CHOICES } from '../api/operations.js';
import { parseTimeWithZone } from '../options.js';
import { apiCommand } from './api-command.js';

/** `busbridge alerts`. */
export function alertsCommand(): Command {
  const command = new Command('alerts').description(
    'Explains the rules of alerts in the configuration file.',
  );
  apiCommand(command, 'explain <type>', {
    description: 'which rules and sinks would get an event such as margin.breached, and why others would not',
    details: `It reads the configuration file, and changes nothing. It reads the silences of the archive API, if a bridge is named; the
last line says when it did not. Without --severity the event has the severity that the file gives it. Exit status 0: the
event is explained, also when no sink gets it.`,
    examples: [
      'alerts explain margin.breached --participant WPGENCO',
      'alerts explain margin.breached --amount -1000000.00      # when a rule compares amounts',
      'alerts explain statement.published --resolves            # it ends a statement-overdue',
      'alerts explain statement.overdue --at 2026-12-24T23:00:00+08:00   # what is muted or silenced then',
      'alerts explain bridge.alert.raised --severity critical --json',
    ],
  })
    .option('--participant <code>', 'participant (default: the only one; * for events of the bridge)')
    .addOption(
      new Option('--severity <severity>', 'severity of the event').choices(CHOICES['/v1/events'].severity),
    )
    .option('--amount <decimal>', 'amount of the event; docs/events.md says which one counts')
    .option('--reason <reason>', 'reason of a fault of the bridge, such as clock-offset')
    .option(
      '--at <time>',
      'when it arrives, such as 2026-12-24T23:00:00+08:00 (default: now)',
      parseTimeWithZone,
    )
    .option('--resolves', 'the event resolves an open problem')
    .option('--file <path>', 'the file (default: CONFIG_FILE, otherwise config/bridge.yaml)')
    .action(async (type: string, options: ExplainOptions) =>
      (await import('../alerts/explain-alert.js')).explainAlert(type, options),
    );
  return command;
}
