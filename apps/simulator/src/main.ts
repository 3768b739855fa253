import { runApp } from '@ssb/platform';
import { Command } from 'commander';
import { app } from './app.js';
import { settingsHelp } from './help.js';
import { definition } from './settings.js';

new Command('simulator')
  .description("Plays a market into the reporting API, through its operator's door.")
  .addHelpText('after', settingsHelp(definition))
  .parse();

await runApp(app);
