export { ClockMonitor, type ClockFaults, type ClockMonitorOptions } from './clock-monitor.js';
