import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { readSettings, renderTable } from '@ssb/platform';
import { coloured, plain } from './report/events.js';
import { Belongings } from './run/belongings.js';
import { whenInterrupted } from './run/when-interrupted.js';
import { definition } from './start/settings.js';
import { playSettings, type PlayOptions } from './start/play-settings.js';
import { startEverything } from './start/start-everything.js';
import { REPOSITORY } from './system/app-process.js';
import { freePorts } from './system/free-ports.js';
import { STANDARD_PORTS } from './system/layout.js';
import { scenarioNames, scenarioSetting } from './system/scenario.js';

interface StartCommandOptions extends PlayOptions {
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
    `what the simulator plays; a name is one of: ${scenarioNames().join(', ')}`,
    'everyday',
  )
  .option('--speed <number or max>', 'how many times faster than written it is played')
  .option('--seed <text>', "the play's figures depend on it alone; another seed wants another --data folder")
  .option('--from <yyyy-MM-dd>', 'the market day on which the play begins, on a clock of its own')
  .option('--until <yyyy-MM-dd>', 'the last market day of an endless scenario that begins on --from')
  .option('--no-simulator', 'play nothing: a market that is empty until somebody loads records')
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
const belongings = new Belongings();
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
      play: playSettings(options),
      data,
      ports: options.freePorts ? await freePorts() : STANDARD_PORTS,
      say,
      paint: process.stdout.isTTY ? coloured : plain,
    },
    belongings,
  );
}

/** Stops what has been started, last first, and lets no more come up. Asking twice does not stop it twice. */
function stop(): Promise<void> {
  return (stopping ??= (async () => {
    say('\nStopping …\n');
    const began = Date.now();
    await belongings.release();
    await Promise.allSettled([started]);
    const took = ((Date.now() - began) / 1000).toFixed(1);
    say(`Stopped after ${took} s. The next npm start goes on with ${data}.\n`);
  })());
}
