import type { ChatSinkConfig } from '@ssb/config';
import { ADDRESS, JsonPoster } from '../json-poster.js';
import type { SinkFileNames } from '../sink-files.js';
import { tlsFiles, type SinkContext } from '../sink-kind.js';

/** The address of a chat is its secret, so it can be in a file. */
export function chatFiles(config: ChatSinkConfig, pathOf: SinkContext['pathOf']): SinkFileNames {
  const { urlFile } = config;
  return {
    texts: urlFile === undefined ? [] : [{ path: pathOf(urlFile), form: ADDRESS }],
    tls: tlsFiles(config, pathOf),
  };
}

export function openChatPoster({ url, urlFile }: ChatSinkConfig, context: SinkContext): JsonPoster {
  const { files, pathOf } = context;
  return new JsonPoster({
    url: () => (urlFile === undefined ? (url ?? '') : files.text(pathOf(urlFile))),
    context,
  });
}
