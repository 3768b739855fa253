import { runApp } from '@ssb/platform';
import { app } from './api.app.js';

await runApp(app);
