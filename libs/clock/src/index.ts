export { AgreedClock, type TimeSpan } from './agreed-clock.js';
export { clockMetric, ClockMonitor, type ClockFaults, type ClockMonitorOptions } from './clock-monitor.js';
