import { runApp } from '@ssb/platform';
import { app } from './app.js';

await runApp(app);
