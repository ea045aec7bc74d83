package dev.rekindle.controller.app;

import dev.rekindle.controller.kubernetes.Circuits;
import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.controller.runtime.MachineFailure;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import dev.rekindle.logging.UncaughtExceptions;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Role {@code controller} of the image. */
public final class ControllerMain {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerMain.class);
  private static final int BAD_CONFIGURATION = 2;

  /** As the virtual machine itself ends where its heap is full. */
  private static final int FAILED_MACHINE = 3;

  private ControllerMain() {}

  /**
   * Runs until the process is asked to end.
   *
   * @param args none
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    UncaughtExceptions.log(ControllerMain::endIfTheMachineFails);
    ControllerConfig config;
    try {
      config = ControllerConfig.of(System.getenv());
    } catch (IllegalArgumentException wrong) {
      LOG.atError()
          .addKeyValue(LogKey.ERROR.key(), wrong.getMessage())
          .log("Controller cannot start: environment variables are wrong");
      System.exit(BAD_CONFIGURATION);
      return;
    }
    LeaseTerm term = new LeaseTerm(SteadyClock.system(), config.lease().duration());
    Circuits circuits = new Circuits(term::isOver);
    Controller controller = Wiring.controller(config, Wiring.client(circuits), circuits, term);
    Runtime.getRuntime().addShutdownHook(new Thread(controller::close, "shutdown"));
    controller.start();
    new CountDownLatch(1).await();
  }

  /** At once: a shutdown in order needs a virtual machine that works. The kubelet starts anew. */
  private static void endIfTheMachineFails(Throwable thrown) {
    if (MachineFailure.is(thrown)) {
      Runtime.getRuntime().halt(FAILED_MACHINE);
    }
  }
}
