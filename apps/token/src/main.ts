import { runApp } from '@ssb/platform';
import { tokenApp } from './token.app.js';

await runApp(tokenApp);
