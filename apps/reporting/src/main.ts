import { runApp } from '@ssb/platform';
import { app } from './reporting.app.js';

await runApp(app);
