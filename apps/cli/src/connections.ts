import { listTlsFiles, NoProxyList, parseTlsFiles, type ClientConnection, type TlsFileNames } from '@ssb/net';
import { readConfiguredFile } from '@ssb/platform';

interface ProxyVariables {
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: NoProxyList | undefined;
}

/** The connection of a command to one service. The files are read once. */
export async function openConnection(
  files: TlsFileNames,
  { HTTPS_PROXY: url, NO_PROXY: except = NoProxyList.EMPTY }: ProxyVariables,
): Promise<ClientConnection> {
  const contents = await Promise.all(listTlsFiles(files).map((path) => readConfiguredFile(path)));
  return {
    tls: parseTlsFiles(files, contents).material,
    ...(url !== undefined && { proxy: { url, except } }),
  };
}
