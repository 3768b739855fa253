import { readFileSync } from 'node:fs';
import { standardOutput } from '@ssb/platform';
import { serveConsole } from './build/build-console.js';
import { createCommand } from './report/create-command.js';

/** `npm run console` serves the console while it is changed. */
const options = createCommand('npm run console --')
  .description('Serves the console with changes applied at once, on the archive API of a running npm start.')
  .option('--api <address>', 'the archive API', 'http://127.0.0.1:4030')
  .option('--token-file <file>', 'a token that is sent with each request, so that nobody needs to sign in')
  .addHelpText('after', '\nExample:\n  npm run console -- --token-file .data/secrets/api.token')
  .parse()
  .opts<{ api: string; tokenFile?: string }>();

const token = options.tokenFile && readFileSync(options.tokenFile, 'utf8').trim();
standardOutput.write(`${await serveConsole(options.api, token)}\n`);
