import { Command, Option } from 'commander';
import { parseDuration } from '../duration.js';
import { addOutput, collectNames } from '../options.js';
import type { ProvisionOptions } from '../provision/provision.js';
import type { ReaderOptions } from '../provision/admit-reader.js';

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

const READER_HELP = `
It works with our own broker: BROKER_URL, ISSUER_KEY_FILE and ISSUER_KEY_SECRET_FILE must be set. It approves the role USER_ROLE of the DID, and adds
the DID to the subscribers of each channel. A channel without subscribers is open to every holder of the role, and stays so. It then prints the settings
for the owner of the gateway.
Exit status: 0 when nothing is left to do, else 1.

Examples:
  busbridge provision reader did:ethr:0x… --channel prudential.channels.bridge.apps.participant.iam.market
  busbridge provision reader did:ethr:0x… --channel <fqcn> --channel <fqcn> --json
  busbridge provision reader did:ethr:0x… --channel <fqcn> --check       # changes nothing
`;

/** `busbridge provision`. */
export function provisionCommand(): Command {
  return addOutput(new Command('provision'))
    .enablePositionalOptions()
    .addCommand(readerCommand())
    .description('Prepares the bus for the bridge: enrolment of the gateways, roles, channels.')
    .option('--check', 'change nothing; print what is left to do')
    .option('--enrol', 'with an external bus: request the role of the gateways')
    .option('--report', 'with --check: exit 0 although tasks are left')
    .addOption(busTimeout('gateways and broker'))
    .addHelpText('after', HELP)
    .action(async (options: ProvisionOptions) =>
      (await import('../provision/provision.js')).provision(options),
    );
}

function readerCommand(): Command {
  return addOutput(new Command('reader'))
    .description('Admits the gateway of a downstream system: its role, and the channels that it may read.')
    .argument('<did>', "DID of the system's gateway")
    .requiredOption('--channel <fqcn>', 'a channel that it may read; repeatable', collectNames)
    .option('--check', 'change nothing; print what is left to do')
    .addOption(busTimeout('the broker'))
    .addHelpText('after', READER_HELP)
    .action(async (did: string, options: ReaderOptions) =>
      (await import('../provision/admit-reader.js')).admitReader(did, options),
    );
}

/** @param servers that the command waits for */
const busTimeout = (servers: string): Option =>
  new Option('--timeout <duration>', `how long to wait for ${servers}: 30s, 5m`)
    .argParser(parseDuration)
    .default(parseDuration('5m'), '5m');
