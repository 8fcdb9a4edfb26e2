export interface Variable {
  name: string;
  value: string;
}

/** What differs between clusters: one set for kustomize's base, and the values.yaml of the chart. */
export interface ClusterValues {
  images: { server: string; runner: string };
  /** Name of the Secret that holds every secret. */
  secret: string;
  api: { replicas: number };
  runner: { replicas: number; storage: string; drainSecs: string };
}

export const baseValues: ClusterValues = {
  images: { server: 'registry.example/taskyard:0.1.0', runner: 'registry.example/taskyard-agents:0.1.0' },
  secret: 'taskyard',
  api: { replicas: 1 },
  runner: { replicas: 1, storage: '50Gi', drainSecs: '3500' },
};

export const named = (name: string, component: string) => ({
  name,
  labels: { 'app.kubernetes.io/name': 'taskyard', 'app.kubernetes.io/component': component },
});
