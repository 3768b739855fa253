export { freePort, freePorts, listensOn, NoFreePortsError } from './free-ports.js';
