import { runApp } from '@ssb/platform';
import { gateway } from './gateway.app.js';

await runApp(gateway);
