export { useToday } from './values.js';
