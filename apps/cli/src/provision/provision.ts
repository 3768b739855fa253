import { readSettings } from '@ssb/platform';
import { renderTable, standardError } from '@ssb/platform/cli';
import { CommandError } from '../exit.js';
import { readConfig } from '../operator-config.js';
import { print } from '../print.js';
import { commandEnvironment, provisionSettings } from '../settings.js';
import { openBroker, openGateway } from './bus-clients.js';
import { cell, explainBus } from './bus-failures.js';
import { checkBus, provisionBus, type CheckedBus, type ProvisionedBus } from './provision-bus.js';
import { waitForBus } from './wait-for-bus.js';

export interface ProvisionOptions {
  readonly check?: true;
  readonly enrol?: true;
  readonly report?: true;
  readonly timeout: number;
  readonly json: boolean;
}

export async function provision(options: ProvisionOptions): Promise<void> {
  await explainBus(() => provisionOrCheck(options));
}

async function provisionOrCheck(options: ProvisionOptions): Promise<void> {
  const { check, enrol, report, timeout, json } = options;
  const settings = readSettings(provisionSettings, commandEnvironment());
  const config = readConfig();
  const admin = check ? undefined : await openBroker(settings);
  const publisher = await openGateway(settings, 'publisher');
  const subscriber = await openGateway(settings, 'subscriber');
  const wait = waitForBus(Date.now() + timeout, (line) => standardError.writeLine(line));
  const context = { settings, config, gateways: { publisher, subscriber }, wait };
  try {
    if (admin !== undefined) return print(await provisionBus(context, admin), json, renderProvisioned);
    const checked = await checkBus(context, enrol === true);
    print(checked, json, renderChecked);
    const left = checked.tasks.length;
    const sentence = `${left === 1 ? 'One task is' : `${left} tasks are`} left. Repeat the command after that.`;
    if (left > 0 && report) standardError.writeLine(sentence);
    else if (left > 0) throw new CommandError(sentence);
  } finally {
    await Promise.all([publisher.close(), subscriber.close()]);
  }
}

function renderProvisioned({ gateways, channels }: ProvisionedBus): string {
  return renderTable(
    ['what', 'subject', 'outcome'],
    [
      ["publisher's gateway", cell(gateways.publisher), 'enrolled'],
      ["subscriber's gateway", cell(gateways.subscriber), 'enrolled'],
      ...channels.map(({ channel, outcome }) => ['channel', channel, outcome]),
    ],
  );
}

function renderChecked({ tasks }: CheckedBus): string {
  if (tasks.length === 0) return 'Both gateways are enrolled and see every channel and topic of CONFIG_FILE.';
  return renderTable(
    ['what', 'subject', 'detail'],
    tasks.map(({ what, subject, detail }) => [what, cell(subject), cell(detail)]),
  );
}
