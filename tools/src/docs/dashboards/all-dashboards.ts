import { BUS } from './bus.js';
import type { DashboardDescription } from './dashboard.js';
import { OPERATIONS } from './operations.js';
import { TREASURY } from './treasury.js';

/** Every dashboard by its file name below `files/dashboards` of the chart. */
export const DASHBOARDS: Readonly<Record<string, DashboardDescription>> = {
  treasury: TREASURY,
  operations: OPERATIONS,
  bus: BUS,
};

/** Folder of the dashboards, from the root of the repository. */
export const DASHBOARDS_FOLDER = 'helm/settlement-bus-bridge/files/dashboards';
