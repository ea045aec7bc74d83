package dev.rekindle.detect.progress;

/** How a training program prints its steps. The more trustworthy, the earlier. */
enum StepFormat {
  /** {@code REKINDLE step 12}: what the script says for us. */
  REKINDLE(Trust.CONTRACT),
  /** {@code iteration 100/ 500000 | consumed samples: ...} of Megatron-LM and what follows it. */
  MEGATRON(Trust.TRAINER),
  /** {@code [Rank 0] step=10, skipped=0, ...} of DeepSpeed. */
  DEEPSPEED(Trust.TRAINER),
  /** {@code [batch=100/5000]:} of Composer. */
  COMPOSER(Trust.TRAINER),
  /** {@code Epoch(train) [3][ 100/ 500]} of MMEngine. */
  MMENGINE(Trust.TRAINER),
  /** {@code Train: 3 [ 100/1251 ( 8%)]} of timm. */
  TIMM(Trust.TRAINER),
  /** {@code Epoch: [0] [ 100/5004]} of torchvision's references and what follows them. */
  TORCHVISION(Trust.TRAINER),
  /** {@code Train Epoch: 1 [640/60000 (1%)]} of PyTorch's examples; it counts samples. */
  PYTORCH_EXAMPLES(Trust.TRAINER),
  /** {@code 1|25|Loss: 2.1: 12%|} of torchtune. */
  TORCHTUNE(Trust.TRAINER),
  /** {@code global_step: 19}, {@code num_updates=100}, also behind a bar. */
  GLOBAL_STEP(Trust.TRAINER),
  /** {@code Epoch [3/10], Step [100/500]}. */
  EPOCH_AND_STEP(Trust.PLAIN),
  /** {@code step 12}, {@code step=12}, {@code iter 12}, {@code iteration 12/500}. */
  STEP(Trust.PLAIN),
  /** {@code Epoch 3: 42%|████ | 420/1000 [}: a bar for each epoch. */
  EPOCH_BAR(Trust.BAR),
  /** {@code Steps: 12%|█ | 120/1000 [}: a bar that says that it trains. */
  TRAINING_BAR(Trust.BAR),
  /** {@code 12%|█ | 120/1000 [}: a bar that does not say what it is for. */
  BARE_BAR(Trust.BARE);

  /** How sure it is that a line of the format names a step of the training. */
  enum Trust {
    CONTRACT,
    TRAINER,
    PLAIN,
    BAR,
    BARE
  }

  private final Trust trust;

  StepFormat(Trust trust) {
    this.trust = trust;
  }

  Trust trust() {
    return trust;
  }

  /** Whether one line is too little to believe it. */
  boolean needsMore() {
    return trust.compareTo(Trust.BAR) >= 0;
  }
}
