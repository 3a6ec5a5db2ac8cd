/** File names that hold secrets by convention. Only names: what is inside is `find-tokens.ts`' business. Samples and templates are no secrets. */

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:\..+)?$/,
  /^.+\.env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|p12|pfx|p8|key|jks|keystore|kdbx|ppk|asc\.key)$/,
  /^\.(?:netrc|pgpass|pypirc|git-credentials|htpasswd|dockercfg|vault-token)$/,
  /^_netrc$/,
  /^credentials(?:\.(?:json|ya?ml|ini|csv|txt))?$/,
  /^(?:client_secret|service[-_]account)[^/]*\.json$/,
  /^secrets?\.(?:json|ya?ml|toml|env|txt)$/,
];

const SAMPLE = /(?:^|[._-])(?:example|sample|template|dist|defaults?|schema)(?:[._-]|$)/;

export function isSecretName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return !SAMPLE.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
}
