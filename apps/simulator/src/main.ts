import { runApp } from '@ssb/platform';
import { app } from './app.js';
import { readCommandLine } from './command-line.js';
import { putAboveEnvironment } from './settings.js';
import { listScenarios, scenarioListText } from './stage/scenario-list.js';

const wish = readCommandLine(process.argv.slice(2));
switch (wish.do) {
  case 'list': {
    const entries = await listScenarios();
    process.stdout.write(wish.json ? `${JSON.stringify(entries)}\n` : scenarioListText(entries));
    break;
  }
  case 'play':
    putAboveEnvironment(wish.settings);
    await runApp(app);
}
