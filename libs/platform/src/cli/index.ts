// What a command needs to write to a terminal, without the framework of the apps: a command starts in a fraction of a second.
export { VERSION } from '../version.js';
export {
  endCommand,
  escapeCommandOutput,
  prepareCommand,
  standardError,
  standardOutput,
  TextOutput,
} from './output.js';
export { StyledText, type Style } from './styled-text.js';
export { renderFittedTable, renderRow, renderTable, type Column } from './table.js';
