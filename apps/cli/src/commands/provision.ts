import { readSettings, renderTable, standardError } from '@ssb/platform';
import { Command } from 'commander';
import { explainFailures, fail } from '../fail.js';
import { readConfig } from '../operator-config.js';
import { print } from '../print.js';
import { openBroker, openGateway } from '../provision/bus-clients.js';
import { cell, failForBus } from '../provision/bus-failures.js';
import { checkBus, provisionBus, type CheckedBus, type ProvisionedBus } from '../provision/provision-bus.js';
import { busTimeout, waitForBus } from '../provision/wait-for-bus.js';
import { commandEnvironment, provisionSettings } from '../settings.js';
import { provisionReaderCommand } from './provision-reader.js';

interface ProvisionOptions {
  readonly check?: true;
  readonly enrol?: true;
  readonly report?: true;
  readonly timeout: number;
  readonly json: boolean;
}

const HELP = `
With BROKER_URL, ISSUER_KEY_FILE and ISSUER_KEY_SECRET_FILE it provisions our own broker: it gives both gateways an identity if they have
none, enrols them, approves their role, and creates the channels and topics of CONFIG_FILE. An existing channel keeps topics and members that
others added. Without these settings, or with --check, it changes nothing and prints what the administrator of the bus must do.
docs/settings.md lists the settings.
Exit status: 0 when nothing is left to do, else 1. With --report it is 0 when the check could be done.

Examples:
  busbridge provision                          # our own broker; may be repeated
  busbridge provision --check                  # what is missing
  busbridge provision --check --json           # with the schema of each topic
  busbridge provision --check --enrol          # also requests the role of gateways that have not requested it
  busbridge provision reader <did> --channel <fqcn>   # admits a gateway of others
`;

/** `busbridge provision`. */
export function provisionCommand(): Command {
  return new Command('provision')
    .enablePositionalOptions()
    .addCommand(provisionReaderCommand())
    .description('Prepares the bus for the bridge: enrolment of the gateways, roles, channels.')
    .option('--check', 'change nothing; print what is left to do')
    .option('--enrol', 'with an external bus: request the role of the gateways')
    .option('--report', 'with --check: exit 0 although tasks are left')
    .addOption(busTimeout('gateways and broker'))
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action((options: ProvisionOptions) =>
      explainFailures(() => provision(options).catch((error: unknown) => failForBus(error))),
    );
}

async function provision({ check, enrol, report, timeout, json }: ProvisionOptions): Promise<void> {
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
    else if (left > 0) fail(sentence);
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
