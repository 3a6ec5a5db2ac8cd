/** A content-addressed file in the run's artifact folder on its host; workflows hold only the reference. */
export interface ArtifactRef {
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: 'text/markdown' | 'text/plain' | 'application/json';
}
