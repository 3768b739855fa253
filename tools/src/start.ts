import { readSettings, renderTable } from '@ssb/platform';
import { join, resolve } from 'node:path';
import { onEndOfNpm } from './lifecycle/npm-end.js';
import { onInterrupt } from './lifecycle/on-interrupt.js';
import { ResourceStack } from './lifecycle/resource-stack.js';
import { createCommand } from './report/create-command.js';
import { createPrinter } from './report/printer.js';
import { definition } from './start/settings.js';
import { startEverything } from './start/start-everything.js';
import { reserveSystemPorts, REPOSITORY_ROOT, STANDARD_PORTS } from './system/processes.js';
import {
  listScenarios,
  type SimulationOptions,
  toScenarioSetting,
  toSimulatorSettings,
} from './system/scenario.js';

interface StartCommandOptions extends SimulationOptions {
  scenario: string;
  simulator: boolean;
  data: string;
  freePorts: boolean;
}

const DOCUMENTED = [
  'REDIS_URL',
  'DATABASE_URL',
  'ARCHIVE_RETENTION_DAYS',
  'WEBHOOK_URL',
  'WEBHOOK_SECRET',
  'OPERATIONS_WEBHOOK_URL',
  'OPERATIONS_WEBHOOK_SECRET',
] as const;

/** `npm start` runs a whole system on this machine until Ctrl-C. Its data is in `.data/`. */
const options = createCommand('npm start --')
  .description(
    'Runs market, bridge and bus on this machine and prints each event as the subscriber verifies it.',
  )
  .option(
    '--scenario <name or file>',
    `what is simulated: a YAML file, or one of: ${listScenarios().join(', ')}`,
    'everyday',
  )
  .option('--speed <number or max>', 'how many times faster than real time the scenario runs')
  .option('--seed <text>', 'seed of the random figures; another seed needs another --data folder')
  .option('--from <yyyy-MM-dd>', 'the first market day, on a simulated clock')
  .option('--until <yyyy-MM-dd>', 'the last market day of an endless scenario that begins on --from')
  .option('--no-simulator', 'start without a simulator; the market is empty until records are loaded')
  .option('--data <folder>', 'folder of all data', join(REPOSITORY_ROOT, '.data'))
  .option('--free-ports', 'listen on free ports instead of the standard ones', false)
  .addHelpText(
    'after',
    `\n${renderTable(
      ['environment', 'meaning'],
      DOCUMENTED.map((name) => [name, definition[name].doc]),
    )}`,
  )
  .parse()
  .opts<StartCommandOptions>();

const dataFolder = resolve(options.data);
const printer = createPrinter();
const print = (text: string): void => printer.write(text);
const resources = new ResourceStack();
const started = start();
let stopping: Promise<void> | undefined;

onInterrupt(stop, 0, false);
onEndOfNpm(() => endWith('npm has ended, so this ends too.'));
try {
  await started;
} catch (error) {
  // An interrupted start is not a failure; `onInterrupt` ends the process.
  if (stopping === undefined) {
    print(`\n${error instanceof Error ? error.message : String(error)}\n`);
    await stop();
    process.exit(1);
  }
}

async function start(): Promise<void> {
  await startEverything(
    {
      settings: readSettings(definition, process.env),
      scenario: options.simulator ? toScenarioSetting(options.scenario) : undefined,
      simulatorSettings: toSimulatorSettings(options),
      data: dataFolder,
      ports: options.freePorts ? await reserveSystemPorts() : STANDARD_PORTS,
      print,
      printer,
      onGiveUp: endWith,
    },
    resources,
  );
}

function endWith(message: string): void {
  print(`\n  ${message}\n`);
  void stop().finally(() => process.exit(1));
}

/** Stops everything that has started, in reverse order. May be called more than once. */
function stop(): Promise<void> {
  return (stopping ??= (async () => {
    print('\nStopping …\n');
    const stopStarted = Date.now();
    await resources.release();
    await Promise.allSettled([started]);
    const seconds = ((Date.now() - stopStarted) / 1000).toFixed(1);
    print(`Stopped after ${seconds} s. The next npm start continues with ${dataFolder}.\n`);
  })());
}
