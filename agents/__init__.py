"""Programs that learn: ``steer-env train``. Import them as `steer_env.agents`."""
