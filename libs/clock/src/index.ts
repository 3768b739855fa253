export { clockMetric, ClockMonitor, type ClockFaults, type ClockMonitorOptions } from './clock-monitor.js';
