// What a command needs to write to a terminal, without the framework of the apps: a command starts in a fraction of a second.
export { VERSION } from '../version.js';
export { renderFittedTable, type Column } from './fitted-table.js';
export {
  escapeCommandOutput,
  prepareCommand,
  renderRow,
  renderTable,
  standardError,
  standardOutput,
  TextOutput,
} from './output.js';
export { StyledText, type Style } from './styled-text.js';
