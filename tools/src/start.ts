import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { readSettings, renderTable } from '@ssb/platform';
import { coloured, plain } from './report/event-lines.js';
import { ResourceStack } from './lifecycle/resource-stack.js';
import { whenInterrupted } from './lifecycle/on-interrupt.js';
import { definition } from './start/settings.js';
import { startEverything } from './start/start-everything.js';
import { REPOSITORY } from './system/app-process.js';
import { STANDARD_PORTS } from './system/processes.js';
import { freeSystemPorts } from './system/ports.js';
import {
  scenarioNames,
  scenarioSetting,
  simulationSettings,
  type SimulationOptions,
} from './system/scenario.js';

interface StartCommandOptions extends SimulationOptions {
  scenario: string;
  simulator: boolean;
  data: string;
  freePorts: boolean;
}

/** `npm start`: everything on this machine, with its data in `.data/`, until Ctrl-C. */
const options = new Command('npm start --')
  .description(
    'Runs market, bridge and bus on this machine and prints each event as the subscriber verifies it.',
  )
  .option(
    '--scenario <name or file>',
    `what is simulated; a name is one of: ${scenarioNames().join(', ')}`,
    'everyday',
  )
  .option('--speed <number or max>', 'how many times faster than written the scenario runs')
  .option('--seed <text>', 'the figures depend on it alone; another seed needs another --data folder')
  .option('--from <yyyy-MM-dd>', 'the first market day, on a simulated clock')
  .option('--until <yyyy-MM-dd>', 'the last market day of an endless scenario that begins on --from')
  .option('--no-simulator', 'a market that is empty until records are loaded')
  .option('--data <folder>', 'where everything is kept', join(REPOSITORY, '.data'))
  .option('--free-ports', 'listen on free ports instead of the standard ones', false)
  .addHelpText(
    'after',
    `\n${renderTable(
      ['environment', 'meaning'],
      (['REDIS_URL', 'DATABASE_URL', 'WEBHOOK_URL', 'WEBHOOK_SECRET'] as const).map((name) => [
        name,
        definition[name].doc,
      ]),
    )}`,
  )
  .parse()
  .opts<StartCommandOptions>();

const data = resolve(options.data);
const say = (text: string): void => void process.stdout.write(text);
const resources = new ResourceStack();
const started = start();
let stopping: Promise<void> | undefined;

whenInterrupted(stop, 0);
try {
  await started;
} catch (error) {
  // Asked to stop while starting: that is no failure, and whoever asked ends the process.
  if (stopping === undefined) {
    say(`\n${error instanceof Error ? error.message : String(error)}\n`);
    await stop();
    process.exit(1);
  }
}

async function start(): Promise<void> {
  return startEverything(
    {
      settings: readSettings(definition, process.env),
      scenario: options.simulator ? scenarioSetting(options.scenario) : undefined,
      simulation: simulationSettings(options),
      data,
      ports: options.freePorts ? await freeSystemPorts() : STANDARD_PORTS,
      say,
      paint: process.stdout.isTTY ? coloured : plain,
    },
    resources,
  );
}

/** Stops what has been started, last first, and lets no more come up. Asking twice does not stop it twice. */
function stop(): Promise<void> {
  return (stopping ??= (async () => {
    say('\nStopping …\n');
    const began = Date.now();
    await resources.release();
    await Promise.allSettled([started]);
    const took = ((Date.now() - began) / 1000).toFixed(1);
    say(`Stopped after ${took} s. The next npm start goes on with ${data}.\n`);
  })());
}
