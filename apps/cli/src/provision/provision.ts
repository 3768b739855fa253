import { readSettings } from '@ssb/platform';
import { renderFittedTable, standardError, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import { CommandError } from '../exit.js';
import { readConfig } from '../operator-config.js';
import type { OutputOptions } from '../options.js';
import { printResult } from '../output/listing.js';
import { renderParts } from '../output/text.js';
import { commandEnvironment, provisionSettings } from '../settings.js';
import { openBroker, openGateway } from './bus-clients.js';
import { cell, explainBus } from './bus-failures.js';
import { checkBus, provisionBus, type CheckedBus, type ProvisionedBus } from './provision-bus.js';
import { waitForBus } from './wait-for-bus.js';

export interface ProvisionOptions extends OutputOptions {
  readonly check?: true;
  readonly enrol?: true;
  readonly report?: true;
  readonly timeout: number;
}

export async function provision(options: ProvisionOptions): Promise<void> {
  await explainBus(() => provisionOrCheck(options));
}

async function provisionOrCheck(options: ProvisionOptions): Promise<void> {
  const { check, enrol, report, timeout, output } = options;
  const settings = readSettings(provisionSettings, commandEnvironment());
  const config = readConfig();
  const admin = check ? undefined : await openBroker(settings);
  const publisher = await openGateway(settings, 'publisher');
  const subscriber = await openGateway(settings, 'subscriber');
  const wait = waitForBus(Date.now() + timeout, (line) => standardError.writeLine(line));
  const context = { settings, config, gateways: { publisher, subscriber }, wait };
  try {
    if (admin !== undefined)
      return printResult(await provisionBus(context, admin), output, renderProvisioned);
    const checked = await checkBus(context, enrol === true);
    printResult(checked, output, renderChecked);
    const left = checked.tasks.length;
    const sentence = `${left === 1 ? 'One task is' : `${left} tasks are`} left. Repeat the command after that.`;
    if (left > 0 && report) standardError.writeLine(sentence);
    else if (left > 0) throw new CommandError(sentence);
  } finally {
    await Promise.all([publisher.close(), subscriber.close()]);
  }
}

function renderProvisioned({ gateways, channels }: ProvisionedBus): StyledText {
  const rows = [
    { what: "publisher's gateway", subject: gateways.publisher, outcome: 'enrolled' },
    { what: "subscriber's gateway", subject: gateways.subscriber, outcome: 'enrolled' },
    ...channels.map(({ channel, outcome }) => ({ what: 'channel', subject: channel, outcome })),
  ];
  return renderFittedTable(OUTCOMES, rows, standardOutput.width);
}

export const OUTCOMES: readonly Column<Readonly<Record<'what' | 'subject' | 'outcome', string>>>[] = [
  { head: 'what', cell: ({ what }) => what },
  { head: 'subject', cell: ({ subject }) => subject },
  { head: 'outcome', cell: ({ outcome }) => outcome },
];

/** A task is carried out elsewhere, so it is shown whole, below its subject. */
function renderChecked({ tasks }: CheckedBus): StyledText {
  if (tasks.length === 0)
    return StyledText.of('Both gateways are enrolled and see every channel and topic of CONFIG_FILE.');
  return renderParts(
    tasks.map(({ what, subject, detail }) => [
      '',
      StyledText.join(
        [StyledText.of(`${what} ${cell(subject)}`, 'heading'), StyledText.of(cell(detail))],
        '\n',
      ),
    ]),
  );
}
